// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Linear vesting with a cliff: nothing before `start + cliff`, everything from `start + duration` on.
contract VestingVault {
    using SafeERC20 for IERC20;

    struct Grant {
        uint128 total;
        uint128 claimed;
    }

    IERC20 public immutable token;
    address public immutable owner;
    uint64 public immutable start;
    uint64 public immutable cliff;
    uint64 public immutable duration;
    mapping(address => Grant) public grants;

    event Granted(address indexed beneficiary, uint256 amount);
    event Claimed(address indexed beneficiary, uint256 amount);

    error NotOwner();
    error AlreadyGranted();
    error NothingToClaim();

    constructor(IERC20 token_, uint64 start_, uint64 cliff_, uint64 duration_) {
        token = token_;
        owner = msg.sender;
        start = start_;
        cliff = cliff_;
        duration = duration_;
    }

    /// Promise `amount` to `beneficiary`; the vault must be funded apart from this.
    function grant(address beneficiary, uint128 amount) external {
        if (msg.sender != owner) revert NotOwner();
        if (grants[beneficiary].total != 0) revert AlreadyGranted();
        grants[beneficiary] = Grant(amount, 0);
        emit Granted(beneficiary, amount);
    }

    /// What `beneficiary` has earned up to now, claimed or not.
    function vested(address beneficiary) public view returns (uint256) {
        uint256 passed = block.timestamp - start;
        if (passed < cliff) return 0;
        if (passed >= duration) return grants[beneficiary].total;
        return (uint256(grants[beneficiary].total) * passed) / duration;
    }

    /// Pay the caller what is vested and not yet claimed.
    function claim() external returns (uint256 amount) {
        Grant storage mine = grants[msg.sender];
        amount = vested(msg.sender) - mine.claimed;
        if (amount == 0) revert NothingToClaim();
        mine.claimed += uint128(amount);
        emit Claimed(msg.sender, amount);
        token.safeTransfer(msg.sender, amount);
    }
}
