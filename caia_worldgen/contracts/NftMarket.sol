// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// Sells for native coin what stays with its seller until then: a listing needs the seller's approval.
/// The fee, rounded down, goes to the treasury. A new listing by the owner replaces an old one.
contract NftMarket {
    struct Listing {
        address seller;
        uint256 priceWei;
    }

    uint256 public immutable feeBps;
    address public immutable treasury;
    mapping(address => mapping(uint256 => Listing)) public listings;

    event Listed(address indexed nft, uint256 indexed id, address indexed seller, uint256 priceWei);
    event Cancelled(address indexed nft, uint256 indexed id, address indexed seller);
    event Sold(
        address indexed nft,
        uint256 indexed id,
        address seller,
        address indexed buyer,
        uint256 price,
        uint256 fee
    );

    error FeeTooHigh();
    error NotOwner();
    error NotApproved();
    error NotListed();
    error NotSeller();
    error WrongPrice(uint256 paid, uint256 price);
    error ZeroPrice();

    constructor(uint256 feeBps_, address treasury_) {
        if (feeBps_ > 10_000) revert FeeTooHigh();
        feeBps = feeBps_;
        treasury = treasury_;
    }

    function list(address nft, uint256 id, uint256 priceWei) external {
        IERC721 collection = IERC721(nft);
        if (priceWei == 0) revert ZeroPrice();
        if (collection.ownerOf(id) != msg.sender) revert NotOwner();
        if (collection.getApproved(id) != address(this) && !collection.isApprovedForAll(msg.sender, address(this))) {
            revert NotApproved();
        }
        listings[nft][id] = Listing(msg.sender, priceWei);
        emit Listed(nft, id, msg.sender, priceWei);
    }

    function cancel(address nft, uint256 id) external {
        Listing memory found = listings[nft][id];
        if (found.seller == address(0)) revert NotListed();
        if (found.seller != msg.sender) revert NotSeller();
        delete listings[nft][id];
        emit Cancelled(nft, id, msg.sender);
    }

    /// Pay exactly the price. A listing whose seller no longer owns the item cannot be bought.
    function buy(address nft, uint256 id) external payable {
        Listing memory found = listings[nft][id];
        if (found.seller == address(0)) revert NotListed();
        if (msg.value != found.priceWei) revert WrongPrice(msg.value, found.priceWei);
        delete listings[nft][id];
        uint256 fee = (found.priceWei * feeBps) / 10_000;
        IERC721(nft).safeTransferFrom(found.seller, msg.sender, id);
        emit Sold(nft, id, found.seller, msg.sender, found.priceWei, fee);
        Address.sendValue(payable(treasury), fee);
        Address.sendValue(payable(found.seller), found.priceWei - fee);
    }
}
